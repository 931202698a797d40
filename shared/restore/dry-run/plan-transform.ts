import type * as z from 'zod/mini';
import type { Archive } from '../../archive/index.ts';
import type { DryRun } from '../../contract/models/restore.ts';
import type { RestoreScope } from '../scope/restore-scope.ts';
import { inspectRules } from '../start/inspect-rules.ts';
import type { RestoreTransform } from '../transform/restore-transform.ts';
import type { TransformCounts } from '../transform/transform-counts.ts';
import { ruleMatches, transformSummary } from '../transform/transform-view.ts';

interface PlannedTransform {
  readonly transform: RestoreTransform;
  /** Of all documents in scope. */
  readonly counts: TransformCounts;
  readonly scope: RestoreScope;
  readonly to: string;
  readonly isOver: () => boolean;
}

/** What a dry run shows of a masked copy: the counts, and ten documents before and after. */
export const planTransform = async (
  archive: Archive,
  { transform, counts, scope, to, isOver }: PlannedTransform,
): Promise<Pick<z.input<typeof DryRun>, 'transform' | 'ruleMatches' | 'transformPreview'>> => {
  const { preview } = await inspectRules(archive, { transform, scope, to, isOver, previewed: counts.documents });
  return {
    transform: transformSummary(transform, counts),
    ruleMatches: ruleMatches(transform, counts),
    transformPreview: [...preview],
  };
};
