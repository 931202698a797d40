const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB'];

interface NumberStyle {
  readonly whole: (value: number) => string;
  /** With one decimal. */
  readonly decimal: (value: number) => string;
}

const plainNumbers: NumberStyle = { whole: String, decimal: (value) => value.toFixed(1) };

/** `999 B`, `1.5 KB`: steps of 1,000, one decimal. */
export const formatBytes = (bytes: number, { whole, decimal } = plainNumbers): string => {
  if (bytes < 1_000) return `${whole(bytes)} B`;
  let [size, unit] = [bytes / 1_000, 1];
  // A size that would be shown as 1000.0 moves to the next unit.
  while (Math.round(size * 10) >= 10_000 && unit < units.length - 1) [size, unit] = [size / 1_000, unit + 1];
  return `${decimal(size)} ${units[unit]}`;
};
