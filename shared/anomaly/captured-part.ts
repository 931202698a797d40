/** The part of a mark that was found in captured changes: the first `reported.length` of its findings. */
export interface CapturedPart {
  /** The last moment before the first batch with a finding. */
  readonly before: string;
  /** The ends of the first and the last batch with a finding, in milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Of each finding, the documents in the last event that reported it. */
  readonly reported: readonly number[];
}
