/** A backup, or a moment of a project. */
export interface SourceChoice {
  readonly kind: 'backup' | 'moment';
  readonly backupId?: string | undefined;
  readonly projectId?: string | undefined;
  /** ISO 8601. */
  readonly at?: string | undefined;
}

export const hasSource = ({ backupId, projectId, at }: SourceChoice): boolean =>
  backupId !== undefined || (projectId !== undefined && at !== undefined);
