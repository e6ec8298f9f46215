"""Liu and Fu, ICDM 2015: tables II and III, figures 3 and 4, and what unlabelled rows say."""
