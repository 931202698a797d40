/** Object Retention Lock: what the retention of an object allows, as in Cloud Storage. */
import { badRequest, GcsError } from './gcs-resources.ts';
import type { Bucket, Retention, StoredObject } from './object-files.ts';

/** The retention a request asks for; undefined for none. */
export const readRetention = (bucket: Bucket | undefined, given: unknown): Retention | undefined => {
  if (given === undefined || given === null) return undefined;
  const { mode, retainUntilTime } = given as Partial<Retention>;
  if (!bucket?.isRetaining) throw badRequest('Object retention is not enabled for the bucket.');
  if ((mode !== 'Locked' && mode !== 'Unlocked') || Number.isNaN(Date.parse(String(retainUntilTime))))
    throw badRequest('Retention needs a mode and a retainUntilTime.');
  if (Date.parse(String(retainUntilTime)) <= Date.now()) throw badRequest('The retainUntilTime must be in the future.');
  return { mode, retainUntilTime: String(retainUntilTime) };
};

/** Throws 403 while the object may not be deleted for good. A versioned bucket keeps a live object as noncurrent instead. */
export const assertReplaceable = ({ bucket, name, retention }: StoredObject, isKept: boolean): void => {
  if (!isKept && isRetained(retention)) throw notMet(`Object '${bucket}/${name}' is under active retention`, retention);
};

/** A locked retention can only be extended. An unlocked one can be weakened, or become locked, by a caller who overrides it. */
export const assertRetainable = (
  { bucket, name, retention }: StoredObject,
  next: Retention | undefined,
  isOverridden: boolean,
): void => {
  if (!isRetained(retention)) return;
  const isExtended = next?.mode === retention.mode && Date.parse(next.retainUntilTime) >= Date.parse(retention.retainUntilTime);
  if (isExtended || (retention.mode === 'Unlocked' && isOverridden)) return;
  throw notMet(`The retention of object '${bucket}/${name}' cannot be weakened`, retention);
};

const isRetained = (retention: Retention | undefined): retention is Retention =>
  retention !== undefined && Date.parse(retention.retainUntilTime) > Date.now();

const notMet = (message: string, { retainUntilTime }: Retention): GcsError =>
  new GcsError(403, 'retentionPolicyNotMet', `${message} until ${retainUntilTime}.`);
