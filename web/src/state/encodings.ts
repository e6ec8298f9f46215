/** How files of text that are not in UTF-8 may have been written. */

/** What the service takes a file for that is not in UTF-8. */
export const WESTERN = "cp1252";

/** Encodings by their names in Python, in words. */
export const ENCODINGS: Record<string, string> = {
  [WESTERN]: "Western European (Windows-1252)",
  cp1250: "Central European (Windows-1250)",
  cp1251: "Cyrillic (Windows-1251)",
  "koi8-r": "Cyrillic (KOI8-R)",
  cp1253: "Greek (Windows-1253)",
  cp1254: "Turkish (Windows-1254)",
  cp1255: "Hebrew (Windows-1255)",
  cp1256: "Arabic (Windows-1256)",
  shift_jis: "Japanese (Shift JIS)",
  "euc-kr": "Korean (EUC-KR)",
  gb18030: "Chinese (GB 18030)",
  big5: "Chinese (Big5)",
};
