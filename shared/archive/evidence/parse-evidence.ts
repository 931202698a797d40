import { ArchiveError } from '../primitives/archive-error.ts';
import { type Evidence, evidenceFormat, evidenceVersion } from './evidence.ts';

/** Checks that evidence has every member that a reader shows. Others are allowed. */
export const parseEvidence = (value: unknown): Evidence => {
  const evidence = record(value);
  if (evidence.format !== evidenceFormat) throw invalid('this is not evidence of a restore test');
  if (evidence.version !== evidenceVersion)
    throw new ArchiveError('unsupported-version', `the version of the evidence is not ${evidenceVersion}`);
  texts(evidence.service, 'version', 'url');
  texts(evidence.organization, 'id', 'name');
  texts(evidence.project, 'id', 'name');
  texts(evidence.plan, 'id', 'name');
  texts(evidence.run, 'id', 'trigger', 'startedAt', 'completedAt');
  const { requestedBy } = record(evidence.run);
  if (requestedBy !== null) texts(requestedBy, 'id');
  if (evidence.result !== 'passed' && evidence.result !== 'failed') throw invalid('the result is neither passed nor failed');
  if (evidence.error !== null) texts(evidence.error, 'code', 'message');
  texts(evidence.tested, 'pick');
  optionalTexts(evidence.tested, 'backupId', 'pointInTime', 'readTime');
  texts(evidence.scope, 'type');
  if (evidence.target !== null) texts(evidence.target, 'projectId', 'projectName');
  if (evidence.counts !== null) counts(evidence.counts, 'objects', 'collections', 'documents', 'authUsers', 'decoded', 'bytes');
  if (evidence.documentsWritten !== undefined && evidence.documentsWritten !== null) counts(evidence, 'documentsWritten');
  for (const collection of list(evidence.collections)) {
    texts(collection, 'id');
    counts(collection, 'documents');
  }
  counts(evidence, 'collectionsOmitted');
  optionalTexts(evidence.digests, 'manifest', 'documents');
  for (const duration of Object.values(record(evidence.durations))) if (duration !== null) amount(duration);
  if (evidence.rtoSeconds !== null) amount(evidence.rtoSeconds);
  if (evidence.comparisons !== null) comparisons(record(evidence.comparisons));
  if (evidence.warnings !== undefined) for (const warning of list(evidence.warnings)) texts(warning, 'code', 'message');
  counts(evidence.differences, 'total');
  for (const difference of list(record(evidence.differences).items)) texts(difference, 'path', 'kind', 'against', 'message');
  if (evidence.check !== null) texts(evidence.check, 'status');
  if (evidence.removal !== null) texts(evidence.removal, 'status');
  return value as Evidence;
};

const comparisons = (value: Record<string, unknown>): void => {
  for (const each of ['index', 'source', 'target']) {
    const comparison = record(value[each]);
    if (typeof comparison.compared !== 'boolean') throw invalid('a comparison does not say whether it was made');
    optionalTexts(comparison, 'reason');
    counts(comparison, 'documents', 'differences');
  }
};

const invalid = (message: string): ArchiveError => new ArchiveError('evidence-invalid', message);

const record = (value: unknown): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('a member of the evidence is missing');
  return value as Record<string, unknown>;
};

const list = (value: unknown): readonly unknown[] => {
  if (!Array.isArray(value)) throw invalid('a list of the evidence is missing');
  return value;
};

const texts = (value: unknown, ...names: readonly string[]): void => {
  const found = record(value);
  for (const name of names) if (typeof found[name] !== 'string') throw invalid(`${name} is missing in the evidence`);
};

const optionalTexts = (value: unknown, ...names: readonly string[]): void => {
  const found = record(value);
  for (const name of names)
    if (typeof found[name] !== 'string' && found[name] !== null) throw invalid(`${name} is missing in the evidence`);
};

const amount = (value: unknown): void => {
  if (typeof value !== 'number' || value < 0) throw invalid('the evidence has an invalid number');
};

const counts = (value: unknown, ...names: readonly string[]): void => {
  for (const name of names) amount(record(value)[name]);
};
