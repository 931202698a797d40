/** Evidence of a restore test, version 1: what was tested, when, by whom, and what was found. Unknown members are signed as well. */

export const evidenceFormat = 'bms-restore-test-evidence';
export const evidenceVersion = 1;
/** The folder of a project's evidence, beside the folders of its backups: it outlives each of them. */
export const evidenceFolder = 'restore-tests';
/** No evidence is larger: what it lists is bounded. */
export const maxEvidenceBytes = 4 << 20;

export interface Evidence {
  readonly format: typeof evidenceFormat;
  readonly version: typeof evidenceVersion;
  readonly service: { readonly version: string; readonly url: string };
  readonly organization: { readonly id: string; readonly name: string };
  readonly project: { readonly id: string; readonly name: string; readonly source: string | null };
  readonly plan: { readonly id: string; readonly name: string };
  readonly run: {
    readonly id: string;
    readonly trigger: 'scheduled' | 'manual';
    /** Who requested it; null if the schedule did. */
    readonly requestedBy: { readonly id: string; readonly email: string | null } | null;
    readonly scheduledFor: string | null;
    readonly startedAt: string;
    readonly completedAt: string;
  };
  readonly result: 'passed' | 'failed';
  readonly error: { readonly code: string; readonly message: string } | null;
  /** What was tested. Ids and digest are null if there was nothing to choose from. */
  readonly tested: {
    readonly backupId: string | null;
    readonly pointInTime: string | null;
    readonly readTime: string | null;
    readonly pick: string;
    readonly days: number | null;
    readonly seed: string | null;
    readonly candidates: number | null;
  };
  readonly scope: { readonly type: 'all' | 'sample'; readonly documentsPerCollection: number | null };
  /** Null: the archive was read and nothing was restored. */
  readonly target: { readonly projectId: string; readonly projectName: string } | null;
  readonly counts: EvidenceCounts | null;
  /** To the target; null without one. Absent in evidence of earlier versions. */
  readonly documentsWritten?: number | null | undefined;
  /** By collection id, the first thousand; `collectionsOmitted` counts the others. */
  readonly collections: readonly { readonly id: string; readonly documents: number }[];
  readonly collectionsOmitted: number;
  readonly digests: { readonly manifest: string | null; readonly documents: string | null };
  /** In milliseconds. */
  readonly durations: Readonly<Record<string, number | null>>;
  readonly rtoSeconds: number | null;
  readonly comparisons: Readonly<Record<'index' | 'source' | 'target', EvidenceComparison>> | null;
  /** What the test does not prove. Absent in evidence of earlier versions. */
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
  readonly differences: { readonly total: number; readonly items: readonly EvidenceDifference[] };
  readonly check: EvidenceCheck | null;
  readonly removal: { readonly status: string; readonly documents: number; readonly message: string | null } | null;
}

interface EvidenceCounts {
  readonly objects: number;
  readonly collections: number;
  readonly documents: number;
  readonly authUsers: number;
  readonly decoded: number;
  readonly bytes: number;
}

export interface EvidenceComparison {
  readonly compared: boolean;
  readonly reason: string | null;
  readonly documents: number;
  readonly differences: number;
}

export interface EvidenceDifference {
  readonly path: string;
  readonly kind: string;
  readonly against: string;
  readonly message: string;
}

interface EvidenceCheck {
  readonly status: string;
  readonly message: string | null;
  readonly requestedAt: string | null;
  readonly answeredAt: string | null;
  readonly timeoutSeconds: number;
}
