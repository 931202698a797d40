/** Unfinished multipart uploads, which fauxqs stores but does not list. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { escaped, xml } from './s3-xml.ts';

interface Unfinished {
  readonly uploadId: string;
  readonly bucket: string;
  readonly key: string;
  readonly initiated: string;
}

export const listUnfinished = (dir: string): readonly Unfinished[] => {
  const folder = join(dir, '_multipart');
  return readdirSync(folder)
    .map((id) => join(folder, id, '.upload.json'))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Unfinished);
};

interface UploadFilter {
  readonly bucket: string;
  readonly prefix: string;
  /** Whether the prefix is the whole key. */
  readonly isExact: boolean;
}

export const answerUploads = (
  response: ServerResponse,
  { bucket, prefix, isExact }: UploadFilter,
  all: readonly Unfinished[],
): void => {
  const uploads = all
    .filter((upload) => upload.bucket === bucket && (isExact ? upload.key === prefix : upload.key.startsWith(prefix)))
    .map(
      ({ key, uploadId, initiated }) =>
        `<Upload><Key>${escaped(key)}</Key><UploadId>${escaped(uploadId)}</UploadId><Initiated>${escaped(initiated)}</Initiated></Upload>`,
    );
  xml(response, {
    status: 200,
    body: `<ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Bucket>${bucket}</Bucket><Prefix>${escaped(prefix)}</Prefix><IsTruncated>false</IsTruncated>${uploads.join('')}</ListMultipartUploadsResult>`,
  });
};
