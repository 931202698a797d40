/** What is told of captures: events to subscribers, and to the audit log what was lost. */
import { type Actor, auditEntry } from '../../audit/index.ts';
import { emit } from '../../event/index.ts';
import { organizationRef } from '../../organization/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { shownMoment } from '../model/micro-time.ts';
import type { Gap } from '../model/record.ts';
import { shownGap } from '../timeline/windows.ts';

const actor: Actor = { type: 'system', id: 'capture', email: null };

/** Ids an event names at most: each may have 1,500 bytes. */
const collectionsMax = 100;

export interface CapturedChanges {
  readonly count: number;
  readonly from: number;
  readonly to: number;
  readonly collections: readonly string[];
}

/** One event for all changes of a turn. */
export const changeEvent = (
  { tenant, organization, project }: CycleContext,
  told: CapturedChanges,
  now: Date,
  gap?: Gap,
): Write =>
  emit(
    tenant,
    'pitr.change_captured',
    {
      organization: organizationRef(organization),
      project: { id: project.id, name: project.name },
      changes: {
        count: told.count,
        fromTimestamp: shownMoment(told.from),
        toTimestamp: shownMoment(told.to),
        collections: told.collections.slice(0, collectionsMax),
      },
      ...(gap && { gap: shownGap(gap) }),
    },
    now,
  );

/** A stretch that was lost: an event, and an entry of the audit log. */
export const gapWrites = (
  cycle: CycleContext,
  gap: Gap,
  { from, to }: Pick<CapturedChanges, 'from' | 'to'>,
  now: Date,
): readonly Write[] => [
  changeEvent(cycle, { count: 0, from, to, collections: [] }, now, gap),
  auditEntry(
    'pitr.gap',
    {
      scope: cycle.tenant.organizationId,
      resource: { type: 'project', id: cycle.project.id },
      details: { ...shownGap({ ...gap, ...(gap.collections && { collections: gap.collections.slice(0, collectionsMax) }) }) },
    },
    actor,
    { ip: null, userAgent: null, requestId: cycle.project.id },
    now,
  ),
];

/** What was captured and nothing needs any more lies in the bucket for good: told once for each bucket. */
export const objectsKeptEntry = (
  tenant: Tenant,
  projectId: string,
  details: { readonly storageDestinationId: string; readonly reason: string },
  now: Date,
): Write =>
  auditEntry(
    'pitr.objects_kept',
    { scope: tenant.organizationId, resource: { type: 'project', id: projectId }, details },
    actor,
    { ip: null, userAgent: null, requestId: projectId },
    now,
  );
