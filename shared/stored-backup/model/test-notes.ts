/** What a backup's record notes about restore tests. */
export interface TestNotes {
  /** When a test of it last passed. */
  readonly restoreTestedAt: string | null;
  /** The run that did. Absent if it was one of an earlier version, which may have written nothing. */
  readonly restoreTestedBy?: string;
}
