const units = ['KB', 'MB', 'GB', 'TB', 'PB', 'EB'];

/** `999 B`, `1.5 KB`: steps of 1,000, one decimal. */
export const formatSize = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`;
  let [size, unit] = [bytes / 1_000, 0];
  // A size that would be shown as 1000.0 moves to the next unit.
  while (Math.round(size * 10) >= 10_000 && unit < units.length - 1) [size, unit] = [size / 1_000, unit + 1];
  return `${size.toFixed(1)} ${units[unit]}`;
};

/** `450ms`, `12s`, `2m 30s`, `1h 0m 5s`. */
export const formatDuration = (durationMs: number): string => {
  if (durationMs < 1_000) return `${durationMs}ms`;
  const seconds = Math.round(durationMs / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const first = parts.findIndex((part) => part > 0);
  return parts
    .map((part, n) => `${part}${'hms'[n]}`)
    .slice(first)
    .join(' ');
};
