/** Events and audit entries of captures. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { pitrEvents } from '../../contract/event-data/pitr-events.ts';
import { emit } from '../../event/index.ts';
import { organizationRef } from '../../organization/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { shownMoment } from '../model/micro-time.ts';
import type { Gap } from '../model/record.ts';
import { shownGap } from '../timeline/windows.ts';

/** Collections that an event names at most; an id may have 1,500 bytes. */
const collectionsMax = 100;

interface ChangeSource {
  readonly count: number;
  readonly from: number;
  readonly to: number;
  readonly collections: readonly string[];
}

/** One event for all changes of a cycle. */
export const changeEvent = (
  { tenant, organization, project }: CycleContext,
  {
    changes: { count, from, to, collections },
    now,
    gap,
  }: { readonly changes: ChangeSource; readonly now: Date; readonly gap?: Gap | undefined },
): Write =>
  emit(tenant, {
    schemas: pitrEvents,
    name: 'pitr.change_captured',
    data: {
      organization: organizationRef(organization),
      project: { id: project.id, name: project.name },
      changes: {
        count,
        fromTimestamp: shownMoment(from),
        toTimestamp: shownMoment(to),
        collections: collections.slice(0, collectionsMax),
      },
      ...(gap && { gap: shownGap(gap) }),
    },
    now,
  });

/** The event and the audit entry of a gap. */
export const gapWrites = (
  cycle: CycleContext,
  {
    gap,
    changes: { from, to },
    now,
  }: { readonly gap: Gap; readonly changes: Pick<ChangeSource, 'from' | 'to'>; readonly now: Date },
): readonly Write[] => {
  const details = shownGap({ ...gap, ...(gap.collections && { collections: gap.collections.slice(0, collectionsMax) }) });
  return [
    changeEvent(cycle, { changes: { count: 0, from, to, collections: [] }, now, gap }),
    systemAudit('capture', {
      action: 'pitr.gap',
      note: auditNote(cycle.tenant, { type: 'project', id: cycle.project.id, details }),
      now,
    }),
  ];
};

/** Expired objects could not be deleted; audited once per destination. */
export const objectsKeptEntry = (
  tenant: Tenant,
  {
    projectId,
    details,
    now,
  }: {
    readonly projectId: string;
    readonly details: { readonly storageDestinationId: string; readonly reason: string };
    readonly now: Date;
  },
): Write =>
  systemAudit('capture', {
    action: 'pitr.objects_kept',
    note: auditNote(tenant, { type: 'project', id: projectId, details }),
    now,
  });

/** The store does not lock captures for as long as they are kept. */
export const lockIncompleteEntry = (
  tenant: Tenant,
  { projectId, details, now }: { readonly projectId: string; readonly details: { readonly reason: string }; readonly now: Date },
): Write =>
  systemAudit('capture', {
    action: 'pitr.lock_incomplete',
    note: auditNote(tenant, { type: 'project', id: projectId, details }),
    now,
  });
