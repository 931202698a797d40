/** What happened to the contents of the changed documents of a collection. Pure. */
import { type CollectionStock, type FieldStock, followedShare } from './history.ts';
import type { CollectionStatistics, Sample } from './statistics.ts';

export interface OpaqueGrowth {
  /** Documents whose content became opaque beyond those that usually are. */
  readonly documents: number;
  /** As many could be so by chance. */
  readonly byChance: number;
  readonly field: string | null;
}

/** Multiples of the standard deviation that chance is allowed. */
const deviations = 4;
/** If so many documents were deleted, added ones may replace them. */
const replacingShare = 0.025;

/**
 * The field of which most documents became opaque. A changed document has an opaque field no more often than the others had. A new
 * opaque field counts only where readable ones vanished with it: a token that is added to a document encrypts nothing.
 */
export const findOpaqueGrowth = (
  before: CollectionStock,
  { ofChanged, ofAdded, added }: Pick<CollectionStatistics, 'ofChanged' | 'ofAdded' | 'added'>,
  deleted: number,
): OpaqueGrowth => {
  const isReplaced = added > 0 && deleted >= replacingShare * before.documents;
  const weightOfAdded = isReplaced ? Math.min(1, deleted / added) : 0;
  const names = new Set([...ofChanged.fields.keys(), ...(isReplaced ? ofAdded.fields.keys() : [])]);
  const lost = Math.max(0, ...readableLosses(before, ofChanged).values()) + weightOfAdded * ofAdded.documents;
  let most: OpaqueGrowth = { documents: 0, byChance: 0, field: null };
  for (const name of names) {
    const [changed, replaced] = [ofChanged.fields.get(name), ofAdded.fields.get(name)];
    const present = (changed?.present ?? 0) + weightOfAdded * (replaced?.present ?? 0);
    const opaque = (changed?.opaque ?? 0) + weightOfAdded * (replaced?.opaque ?? 0);
    const stock = before.fields.get(name);
    const growth = stock
      ? growthOf(stock, { before, present, opaque, weight: weightOf(ofChanged) })
      : { documents: Math.min(opaque, lost), byChance: 0 };
    if (growth.documents - growth.byChance > most.documents - most.byChance || most.field === null)
      most = { ...growth, field: name };
  }
  return most;
};

const growthOf = (
  stock: FieldStock,
  {
    before,
    present,
    opaque,
    weight,
  }: { readonly before: CollectionStock; readonly present: number; readonly opaque: number; readonly weight: number },
) => {
  const seen = Math.max(1, before.examined * stock.share);
  const share = (stock.opaque * seen + 0.5) / (seen + 1);
  const usual = present * share;
  const variance = usual * (1 - share) * (weight + present / seen);
  return {
    documents: Math.max(0, opaque - present * stock.opaque),
    byChance: usual - present * stock.opaque + deviations * Math.sqrt(variance),
  };
};

/** How many documents one examined document stands for. */
const weightOf = ({ documents, examined }: Sample): number => (examined > 0 ? documents / examined : 1);

/** Changed documents that lost a mostly readable field that many documents have, beyond chance, by field. */
const readableLosses = (before: CollectionStock, ofChanged: Sample): ReadonlyMap<string, number> =>
  new Map(
    [...lossesOf(before, ofChanged)].flatMap(([name, lost]) => {
      const { share = 0, opaque = 1 } = before.fields.get(name) ?? {};
      const byChance = deviations * Math.sqrt(ofChanged.documents * share * (1 - share) * weightOf(ofChanged));
      return opaque < 0.5 ? [[name, lost - byChance]] : [];
    }),
  );

const lossesOf = (before: CollectionStock, sample: Sample): ReadonlyMap<string, number> =>
  new Map(
    [...before.fields]
      .filter(([, { share }]) => share >= followedShare)
      .map(([name, { share }]) => [name, sample.documents * share - (sample.fields.get(name)?.present ?? 0)]),
  );

export interface VanishedField {
  readonly field: string;
  /** Documents that lost it, and documents that had it. */
  readonly documents: number;
  readonly total: number;
}

/** A field is judged once this many backups had it. */
const fieldRunsMin = 3;
const fieldDocumentsMin = 10;
const vanishedShare = 0.5;
/** A new field in that share of the documents that lost one: it was renamed, or moved into a map. */
const renamedShare = 0.7;

/** Fields that vanished from most documents that had them and still exist, and did not get another name. */
export const findVanishedFields = (before: CollectionStock, ofChanged: Sample, survivors: number): readonly VanishedField[] => {
  const gains = [...ofChanged.fields].map(
    ([name, { present }]) => present - ofChanged.documents * (before.fields.get(name)?.share ?? 0),
  );
  const gain = Math.max(0, ...gains);
  return [...lossesOf(before, ofChanged)].flatMap(([field, documents]) => {
    const stock = before.fields.get(field);
    const total = (stock?.share ?? 0) * survivors;
    const isJudged = (stock?.runs ?? 0) >= fieldRunsMin && total >= fieldDocumentsMin && !before.lost.includes(field);
    const isVanished = documents > vanishedShare * total && gain < renamedShare * documents;
    return isJudged && isVanished ? [{ field, documents: Math.round(documents), total: Math.round(total) }] : [];
  });
};

/** Documents with less text or less entropy than this share of the usual are emptied or overwritten. */
const emptiedShare = 0.5;
const textBytesMin = 8;

/** Whether the changed documents have lost most of their text, or most of its information. */
export const hasLostContent = (before: CollectionStock, { documents, textBytes, bits, withText }: Sample): boolean => {
  if (documents === 0 || before.textBytes < textBytesMin) return false;
  const isShorter = textBytes / documents < emptiedShare * before.textBytes;
  return isShorter || (withText > 0 && bits / withText < emptiedShare * before.bits);
};

/** Most documents went, and about as many came. */
const wentShare = 0.5;
const cameShare = 0.8;

/** Whether the collection was imported anew: the documents that came look like those that went. */
export const wasReplaced = (
  before: CollectionStock,
  { added, ofAdded }: Pick<CollectionStatistics, 'added' | 'ofAdded'>,
  deleted: number,
): boolean => {
  if (deleted < wentShare * before.documents || added < cameShare * deleted || hasLostContent(before, ofAdded)) return false;
  const losses = [...lossesOf(before, ofAdded)];
  return losses.every(([name, lost]) => lost <= vanishedShare * ofAdded.documents * (before.fields.get(name)?.share ?? 0));
};
