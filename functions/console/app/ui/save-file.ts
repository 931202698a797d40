/** Saves text or bytes as a file of the browser's downloads. */
export const saveFile = (name: string, content: string | Blob, type: string): void => {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
};

/** A file name for a path, without characters that file systems refuse. */
export const fileNameOf = (path: string): string => path.replace(/[^\p{L}\p{N}._-]+/gu, '_');
