/** What a store answers, read no further than it may be: it is the customer's, and may be anything. */
import { type Answer, AwsError, readXml, textOf, type XmlElement } from '../platform/index.ts';
import { type Asked, tooShort } from './extent.ts';
import type { Told } from './s3-digest.ts';
import { StorageError } from './store.ts';

/** A refusal by the name that the store gives it; one without a body has none. */
export const refusalOf = ({ status, body }: Answer): AwsError => {
  try {
    return refusalIn(readXml(body.toString()), status);
  } catch {
    return new AwsError('Unknown', 'refused', status);
  }
};

/** Where a refusal says that the bucket is: in a header, or in its body. */
export const regionOf = ({ headers, body }: Answer): string | undefined => {
  const told = headers['x-amz-bucket-region'];
  if (typeof told === 'string') return told;
  try {
    return textOf(readXml(body.toString()), 'Region');
  } catch {
    return undefined;
  }
};

const refusalIn = (error: XmlElement, status: number): AwsError =>
  new AwsError(textOf(error, 'Code') ?? 'Unknown', 'refused', status);

/** What an answer that succeeded says. A store may say 200 before it knows: then an error stands where the result should. */
export const documentOf = ({ body }: Answer): XmlElement => {
  const text = body.toString();
  // It keeps the connection busy with blanks meanwhile, and may fall silent after them.
  if (text.trim() === '') throw new StorageError('unavailable', 'The store began an answer and said nothing.');
  let document: XmlElement;
  try {
    document = readXml(text);
  } catch (cause) {
    throw new StorageError('invalid', 'The answer of the store is not one of S3.', { cause });
  }
  if (document.name === 'Error') throw refusalIn(document, 503);
  return document;
};

/** What the store tells of an object or a part. */
export const toldOf = ({ headers }: Answer): Told => {
  const text = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { tag: text('etag'), crc32: text('x-amz-checksum-crc32'), encryption: text('x-amz-server-side-encryption') };
};

/** The bytes of an object, of a range exactly as many as were asked for. */
export const objectOf = ({ body }: Answer, { range }: Asked): Uint8Array => {
  if (range && body.length !== range.length) throw tooShort();
  return body;
};
