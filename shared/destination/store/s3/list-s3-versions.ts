/** The versions that an S3 bucket keeps. */
import type { ListObjectVersionsCommandOutput } from '@aws-sdk/client-s3';
import { StorageError } from '../object-store.ts';
import type { ListedVersion } from '../object-versions.ts';
import { PageGuard } from '../page-guard.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { ListObjectVersionsCommand } from './s3-library.ts';

/**
 * Versions and delete markers of one object that are listed to reach the oldest. More cost an intruder 5 USD an object, or as delete
 * markers minutes.
 */
export const versionsMax = 1_000_000;

/** Versions and delete markers by name, those of one name newest first. None if the store does not list them to us. */
export async function* listS3Versions(
  bucket: S3Bucket,
  prefix: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedVersion, void, undefined> {
  const pageGuard = new PageGuard();
  const folder = bucket.key('');
  let after: { readonly KeyMarker: string | undefined; readonly VersionIdMarker: string | undefined } | undefined;
  do {
    const input = { Bucket: bucket.options.bucket, Prefix: bucket.key(prefix) || undefined, ...after };
    const page: ListObjectVersionsCommandOutput | undefined = await bucket
      .call({
        doing: 'list the versions of an object',
        signal,
        send: (client, options) => client.send(new ListObjectVersionsCommand(input), options),
      })
      .catch(asUnlisted);
    if (!page) return;
    const versions = [
      ...(page.Versions ?? []).map((one) => ({ ...one, version: one.VersionId })),
      ...(page.DeleteMarkers ?? []).map((one) => ({ ...one, version: undefined, Size: 0 })),
    ].map(({ Key = '', version, Size = 0, IsLatest = false }) => ({
      name: Key.slice(folder.length),
      version,
      size: Size,
      isNewest: IsLatest,
    }));
    // The SDK returns versions and delete markers apart; both keep their order.
    yield* versions.sort((a, b) => (a.name === b.name ? Number(b.isNewest) - Number(a.isNewest) : a.name < b.name ? -1 : 1));
    const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
    after = page.IsTruncated ? { KeyMarker, VersionIdMarker } : undefined;
    if (after) pageGuard.next(KeyMarker && `${KeyMarker}\n${VersionIdMarker ?? ''}`, versions.length);
  } while (after);
}

/** Without the permission, or in a store without versions, there are none to read. */
const asUnlisted = (error: unknown): undefined => {
  if (!(error instanceof StorageError) || (error.code !== 'denied' && error.code !== 'invalid')) throw error;
};
