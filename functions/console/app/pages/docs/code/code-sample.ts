import type { Language } from './highlight.ts';

export interface CodeSample {
  readonly label: string;
  readonly code: string;
  readonly language: Language;
}
