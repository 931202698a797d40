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
