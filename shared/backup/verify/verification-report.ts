import type { BackupRecord } from '../model/record.ts';

type Verification = NonNullable<BackupRecord['verification']>;
export type Finding = Verification['findings'][number];

/** What the record has room for and a person would read. */
const findingsMax = 100;

/** What a verification has found so far: at most one finding for an object, so a part that is checked twice tells nothing twice. */
export class VerificationReport {
  readonly #findings: Map<string, Finding>;

  constructor(findings: readonly Finding[] = []) {
    this.#findings = new Map(findings.map((finding) => [finding.object, finding]));
  }

  add(object: string, problem: Finding['problem'], message: string): void {
    if (!this.#findings.has(object)) this.#findings.set(object, { object, problem, message });
  }

  /** Whether the object is known to be damaged or out of reach: then nothing more is asked of it. */
  has(object: string): boolean {
    return this.#findings.has(object);
  }

  /** An orphan takes room and does no harm. */
  get isBad(): boolean {
    return [...this.#findings.values()].some(isBad);
  }

  /** Those that count first. */
  get findings(): Finding[] {
    const all = [...this.#findings.values()];
    return [...all.filter(isBad), ...all.filter((finding) => !isBad(finding))].slice(0, findingsMax);
  }
}

const isBad = ({ problem }: Finding): boolean => problem !== 'orphan';
