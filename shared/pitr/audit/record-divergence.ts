/** What is kept and told of differences: the moments, the first documents with both versions, an event and an audit entry. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { pitrEvents } from '../../contract/event-data/pitr-events.ts';
import { emit } from '../../event/index.ts';
import { collectionIdOf } from '../../firestore/index.ts';
import { organizationRef } from '../../organization/index.ts';
import { after, epochSeconds, fingerprint, newId, type Write } from '../../platform/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { microsOf, momentOf, shownMoment } from '../model/micro-time.ts';
import { type AuditedVersion, type DivergedRecord, type Divergence, type PitrRecord, pitrKey } from '../model/record.ts';
import { collectionsMax, mergedDivergence } from '../timeline/diverged-periods.ts';
import type { CaptureDifference } from './audit-slice.ts';
import { documentTimes } from './document-times.ts';

export interface FoundDivergence {
  /** When the oldest part of the slice was last read, and the moment that was compared. */
  readonly from: string;
  readonly to: string;
  readonly differences: readonly CaptureDifference[];
}

/** Documents that are kept by name, of one step; the correction has all of them. */
const keptMax = 50;
const keptDays = 400;
/** Documents that an event and an audit entry name. */
const namedMax = 10;
const periodsMax = 20;

/** The record's periods, with another one; the oldest are merged if they are too many. */
export const withDivergence = (
  { diverged = [], keptFrom }: Pick<PitrRecord, 'diverged' | 'keptFrom'>,
  found: FoundDivergence,
) => {
  const kept = diverged.filter(({ to }) => keptFrom === null || microsOf(to) > microsOf(keptFrom));
  const all = [...kept, periodOf(found)];
  while (all.length > periodsMax) {
    const [one, next] = all;
    if (one && next) all.splice(0, 2, mergedDivergence(one, next));
  }
  return all;
};

const periodOf = ({ from, to, differences }: FoundDivergence): Divergence => {
  const collections = [...new Set(differences.map(({ path }) => collectionIdOf(path)))];
  return {
    from,
    to,
    documents: differences.length,
    collections: collections.slice(0, collectionsMax),
    count: collections.length,
  };
};

/** The items, the event and the audit entry of the transaction that corrects what was captured. */
export const divergenceWrites = (
  { tenant, organization, project }: CycleContext,
  found: FoundDivergence,
  now: Date,
): readonly Write[] => {
  const ttl = epochSeconds(after(now, keptDays * 24 * 3_600));
  const documents = found.differences.slice(0, keptMax).map((difference): DivergedRecord => {
    const id = newId('capture', now);
    return { ...pitrKey.diverged(tenant, project.id, id), id, ...versionsOf(difference), from: found.from, to: found.to, ttl };
  });
  const { documents: count, collections } = periodOf(found);
  const divergence = {
    fromTimestamp: shownMoment(microsOf(found.from)),
    toTimestamp: shownMoment(microsOf(found.to)),
    documentCount: count,
    collections: [...collections],
    documents: documents.slice(0, namedMax).map(({ path, captured, source }) => ({ path, captured, source })),
  };
  return [
    ...documents.map((put): Write => ({ put })),
    emit(tenant, {
      schemas: pitrEvents,
      name: 'pitr.diverged',
      data: { organization: organizationRef(organization), project: { id: project.id, name: project.name }, divergence },
      now,
    }),
    systemAudit('capture', {
      action: 'pitr.diverged',
      note: auditNote(tenant, { type: 'project', id: project.id, details: divergence }),
      now,
    }),
  ];
};

const versionsOf = ({ path, captured, found }: CaptureDifference): Pick<DivergedRecord, 'path' | 'captured' | 'source'> => ({
  path,
  captured: captured ? versionOf(captured) : null,
  source: found ? versionOf(found) : null,
});

const versionOf = (document: Uint8Array): AuditedVersion => ({
  updateTime: momentOf(documentTimes(document).updated),
  sha256: fingerprint(document),
});
