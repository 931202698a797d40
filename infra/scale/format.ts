/** Formats numbers and tables. */

const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** Uses the largest unit with at least two, rounded to two digits. */
export const formatDuration = (seconds: number): string => {
  const [size, unit] = units.find(([each]) => seconds >= 2 * each) ?? [1, 's'];
  return `${digits(seconds / size)} ${unit}`;
};

const scales = [
  [1e12, 'trillion'],
  [1e9, 'billion'],
  [1e6, 'million'],
  [1e3, 'thousand'],
] as const;

export const formatCount = (count: number): string => {
  const [size, word] = scales.find(([each]) => count >= each) ?? [1, ''];
  return `${digits(count / size)} ${word}`.trim();
};

export const formatDollars = (amount: number): string => {
  if (amount < 0.01) return `$${amount.toPrecision(2)}`;
  return amount < 100 ? `$${amount.toFixed(2)}` : `$${Math.round(amount).toLocaleString('en-US')}`;
};

/** Integers from ten up, one decimal below. */
const digits = (value: number): string =>
  value >= 10 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toFixed(1)));

export const formatTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
