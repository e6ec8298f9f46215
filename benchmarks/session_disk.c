/* A disk that forgets: what was written lasts only after a sync that succeeded.

   Loaded before the C library (LD_PRELOAD), this watches the writes to journals. It remembers what
   of each file is on the disk for certain: the pages written before a sync that succeeded. Told to
   fail, syncs report EIO, and the pages they were about are taken for clean, as Linux does: they
   are lost unless they are written again. `save_durable` tells what a power failure would leave. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096
#define MOST_FILES 64
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

struct file {
  dev_t device;
  ino_t inode;
  unsigned char *durable, *written; /* content on the disk; one flag per page */
  size_t size, n_pages;
};

static struct file files[MOST_FILES];
static int n_files;
static long n_failed;
static volatile int failing;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_journal(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  path[n < 0 ? 0 : n] = 0;
  return strstr(path, "journal.sqlite") && !strstr(path, "-shm");
}

/* Bring page `k` of the file to the disk. */
static void keep(struct file *file, int fd, size_t k) {
  size_t start = k * PAGE, length = file->size - start < PAGE ? file->size - start : PAGE;
  if (start < file->size && pread(fd, file->durable + start, length, start) < 0) abort();
}

static void resize(struct file *file, size_t size) {
  size_t n_pages = (size + PAGE - 1) / PAGE;
  file->durable = realloc(file->durable, size + 1);
  if (size > file->size) memset(file->durable + file->size, 0, size - file->size);
  file->size = size;
  if (n_pages > file->n_pages) {
    file->written = realloc(file->written, n_pages);
    memset(file->written + file->n_pages, 0, n_pages - file->n_pages);
    file->n_pages = n_pages;
  }
}

/* Return what is known of a journal, NULL for other files; one seen first is on the disk. */
static struct file *find(int fd) {
  struct stat now;
  if (!is_journal(fd) || fstat(fd, &now)) return NULL;
  for (int k = 0; k < n_files; k++)
    if (files[k].device == now.st_dev && files[k].inode == now.st_ino) return &files[k];
  if (n_files == MOST_FILES) abort();
  struct file *file = &files[n_files++];
  memset(file, 0, sizeof *file);
  file->device = now.st_dev, file->inode = now.st_ino;
  resize(file, now.st_size);
  for (size_t k = 0; k < file->n_pages; k++) keep(file, fd, k);
  return file;
}

static ssize_t note(struct file *file, ssize_t n, off_t at) {
  if (file && n > 0) {
    size_t last = (at + n - 1) / PAGE;
    if (last >= file->n_pages) {
      file->written = realloc(file->written, last + 1);
      memset(file->written + file->n_pages, 0, last + 1 - file->n_pages);
      file->n_pages = last + 1;
    }
    memset(file->written + at / PAGE, 1, last - at / PAGE + 1);
  }
  return n;
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at) {
  pthread_mutex_lock(&lock);
  struct file *file = find(fd);
  ssize_t done = note(file, REAL(pwrite64)(fd, bytes, n, at), at);
  pthread_mutex_unlock(&lock);
  return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) {
  return pwrite64(fd, bytes, n, at);
}

static int sync_file(int fd, int (*sync)(int)) {
  pthread_mutex_lock(&lock);
  struct file *file = find(fd);
  int failed = file && failing;
  int status = failed ? -1 : sync(fd);
  struct stat now;
  if (file && status == 0 && fstat(fd, &now) == 0) {
    resize(file, now.st_size);
    for (size_t k = 0; k < file->n_pages; k++)
      if (file->written[k]) keep(file, fd, k);
  }
  if (file) memset(file->written, 0, file->n_pages);
  n_failed += failed;
  pthread_mutex_unlock(&lock);
  if (failed) errno = EIO;
  return status;
}

int fsync(int fd) { return sync_file(fd, REAL(fsync)); }

int fdatasync(int fd) { return sync_file(fd, REAL(fdatasync)); }

/* What the experiment calls. */

void fail_syncs(int on) { failing = on; }

long failed_syncs(void) { return n_failed; }

static void save(const char *path, const char *copy) {
  int fd = open(path, O_RDONLY);
  if (fd < 0) return; /* there is no such file yet */
  struct file *file = find(fd);
  int saved = open(copy, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  unsigned char page[PAGE];
  if (write(saved, file->durable, file->size) != (ssize_t)file->size) abort();
  for (size_t k = 0; k < file->n_pages; k++)
    if (file->written[k] && random() % 2) {
      ssize_t n = pread(fd, page, PAGE, k * PAGE);
      if (REAL(pwrite64)(saved, page, n, k * PAGE) != n) abort();
    }
  close(saved);
  close(fd);
}

/* Write what a power failure leaves of a journal and its write-ahead log to `copy`: what is
   durable, and of the pages written since any half. */
void save_durable(const char *path, const char *copy) {
  char log[4096], copied_log[4096];
  snprintf(log, sizeof log, "%s-wal", path);
  snprintf(copied_log, sizeof copied_log, "%s-wal", copy);
  pthread_mutex_lock(&lock);
  save(path, copy);
  save(log, copied_log);
  pthread_mutex_unlock(&lock);
}

/* Begin anew: all that is in the files now is on the disk. */
void forget_files(unsigned seed) {
  srandom(seed);
  pthread_mutex_lock(&lock);
  for (; n_files > 0; n_files--) free(files[n_files - 1].durable), free(files[n_files - 1].written);
  pthread_mutex_unlock(&lock);
}
