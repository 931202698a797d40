/** Prints a table with aligned columns. */
export const printTable = (title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void => {
  const widths = columns.map((name, n) => Math.max(name.length, ...rows.map((row) => row[n]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join('  ');
  console.log(`\n${title}\n${line(columns)}\n${line(widths.map((width) => '-'.repeat(width)))}`);
  for (const row of rows) console.log(line(row));
};

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
export const median = (values: readonly number[]): number => quantile(values, 0.5);
export const fixed = (value: number, digits = 2): string => value.toFixed(digits);
/** The goal, and whether it is met. */
export const judged = (isMet: boolean, goal: string): string => `${goal} ${isMet ? 'met' : 'MISSED'}`;

/** `must` fails the run, `aim` does not. `most`: smaller is better. */
export interface Goal {
  readonly must: number;
  readonly aim: number;
  readonly kind: 'least' | 'most';
}

export const reaches = (value: number, goal: number, kind: Goal['kind']): boolean =>
  kind === 'least' ? value >= goal : value <= goal;

/** A row of a table of goals. */
export const goalRow = (
  what: string,
  {
    value,
    goal,
    show = (one) => fixed(one),
  }: { readonly value: number; readonly goal: Goal; readonly show?: ((value: number) => string) | undefined },
): string[] => {
  const sign = goal.kind === 'least' ? '>=' : '<=';
  return [
    what,
    show(value),
    judged(reaches(value, goal.must, goal.kind), `${sign} ${show(goal.must)}`),
    judged(reaches(value, goal.aim, goal.kind), `${sign} ${show(goal.aim)}`),
  ];
};
export const goalColumns = ['', 'measured', 'must', 'aim'];
export const whole = (value: number): string => Math.round(value).toLocaleString('en');
