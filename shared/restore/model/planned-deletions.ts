/** What a plan deletes. Plans from before it was recorded lack it. */
export interface PlannedDeletions {
  /** Equal for equal sets; a sum, so that parts of a plan can be added in any order. */
  readonly deleteDigest: string;
  /** The first paths; users are `accounts/<id>`. */
  readonly deletions: readonly string[];
}

/** What a record notes about its plan besides the counts; records of earlier versions lack it. */
export interface PlanNotes extends Partial<PlannedDeletions> {
  /** Documents of the backup, in scope, that an erasure hid from the check. */
  readonly erasedInCheck?: number;
}
