import type { BackupRecord } from '../model/record.ts';

type Verification = NonNullable<BackupRecord['verification']>;
export type VerificationFinding = Verification['findings'][number];

/** The record has no room for more. */
const findingsMax = 100;

/** The findings of a verification. At most one per object, damage before others, so repeated checks report nothing twice. */
export class VerificationReport {
  readonly #findings: Map<string, VerificationFinding>;

  constructor(findings: readonly VerificationFinding[] = []) {
    this.#findings = new Map(findings.map((finding) => [finding.object, finding]));
  }

  add(object: string, problem: VerificationFinding['problem'], message: string): void {
    const known = this.#findings.get(object);
    if (!known || (!isBad(known) && isBad({ object, problem, message })))
      this.#findings.set(object, { object, problem, message });
  }

  /** Whether the object is damaged; then it is not checked further. */
  has(object: string): boolean {
    const known = this.#findings.get(object);
    return known !== undefined && isBad(known);
  }

  /** Orphans do no harm, and an object without its lock is intact. */
  get isBad(): boolean {
    return [...this.#findings.values()].some(isBad);
  }

  get count(): number {
    return this.#findings.size;
  }

  /** The serious ones first. */
  get all(): VerificationFinding[] {
    const found = [...this.#findings.values()];
    return [...found.filter(isBad), ...found.filter((finding) => !isBad(finding))];
  }

  get findings(): VerificationFinding[] {
    return this.all.slice(0, findingsMax);
  }
}

const harmless: ReadonlySet<VerificationFinding['problem']> = new Set(['orphan', 'unlocked', 'hidden']);
const isBad = ({ problem }: VerificationFinding): boolean => !harmless.has(problem);
