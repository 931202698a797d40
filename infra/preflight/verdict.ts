/** What a check of the preflight found. */
export interface Verdict {
  readonly verdict: 'ok' | 'advice' | 'do' | 'unknown';
  readonly text: string;
}

export const ok = (text: string): Verdict => ({ verdict: 'ok', text });
export const advise = (text: string): Verdict => ({ verdict: 'advice', text });
export const mustDo = (text: string): Verdict => ({ verdict: 'do', text });
export const cannotTell = (text: string): Verdict => ({ verdict: 'unknown', text });
