import type { BackupRecord } from '../model/record.ts';

type Verification = NonNullable<BackupRecord['verification']>;
export type Finding = Verification['findings'][number];

/** The record has no room for more. */
const findingsMax = 100;

/** The findings of a verification. At most one per object, so repeated checks report nothing twice. */
export class VerificationReport {
  readonly #findings: Map<string, Finding>;

  constructor(findings: readonly Finding[] = []) {
    this.#findings = new Map(findings.map((finding) => [finding.object, finding]));
  }

  add(object: string, problem: Finding['problem'], message: string): void {
    if (!this.#findings.has(object)) this.#findings.set(object, { object, problem, message });
  }

  /** Whether the object has a finding; then it is not checked further. */
  has(object: string): boolean {
    return this.#findings.has(object);
  }

  /** Orphans do no harm. */
  get isBad(): boolean {
    return [...this.#findings.values()].some(isBad);
  }

  /** The serious ones first. */
  get findings(): Finding[] {
    const all = [...this.#findings.values()];
    return [...all.filter(isBad), ...all.filter((finding) => !isBad(finding))].slice(0, findingsMax);
  }
}

const isBad = ({ problem }: Finding): boolean => problem !== 'orphan';
