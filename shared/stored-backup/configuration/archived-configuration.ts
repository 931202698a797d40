import type { Manifest } from '../../archive/index.ts';
import { Configuration } from '../../contract/models/configuration.ts';

/** What surrounded the documents, as the manifest notes it; undefined if the backup has none, or one of a later version. */
export const archivedConfiguration = ({ notes }: Pick<Manifest, 'notes'>): Configuration | undefined =>
  Configuration.safeParse(notes.configuration).data;
