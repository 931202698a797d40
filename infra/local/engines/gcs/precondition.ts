import { GcsError } from './gcs-resources.ts';
import type { StoredObject } from './object-files.ts';

/** Preconditions on the existing object. Generation 0 means that it does not exist. */
export interface Precondition {
  readonly generation: string | null;
  readonly notGeneration: string | null;
  readonly metageneration: string | null;
  readonly notMetageneration: string | null;
}

export const preconditionOf = ({ searchParams: query }: URL): Precondition => ({
  generation: query.get('ifGenerationMatch'),
  notGeneration: query.get('ifGenerationNotMatch'),
  metageneration: query.get('ifMetagenerationMatch'),
  notMetageneration: query.get('ifMetagenerationNotMatch'),
});

/** Throws 412; for reads a failed `NotMatch` yields 304. */
export const check = (
  precondition: Precondition,
  object: StoredObject | undefined,
  { isRead = false }: { readonly isRead?: boolean } = {},
): void => {
  const generation = object?.generation ?? '0';
  const meta = object ? (object.metageneration ?? '1') : '0';
  if ((precondition.generation ?? generation) !== generation || (precondition.metageneration ?? meta) !== meta)
    throw conditionNotMet();
  if (precondition.notGeneration === generation || precondition.notMetageneration === meta)
    throw isRead ? new GcsError(304, 'notModified', 'Not Modified') : conditionNotMet();
};

const conditionNotMet = (): GcsError =>
  new GcsError(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.');
