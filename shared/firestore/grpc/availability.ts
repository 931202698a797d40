/** Whether the calls to a database succeed, so that a job can show what it waits for. */
export class Availability {
  /** Why calls have failed since the last success; undefined while they succeed. */
  heldBy: 'quota' | 'database' | undefined;
  successes = 0;

  /** `isExhausted`: the database refused the call for lack of quota. */
  failed({ isExhausted }: { readonly isExhausted: boolean }): void {
    this.heldBy = isExhausted ? 'quota' : 'database';
  }

  succeeded(): void {
    this.heldBy = undefined;
    this.successes += 1;
  }
}
