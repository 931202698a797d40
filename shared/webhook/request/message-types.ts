import type { DeliveryRetries } from '../../delivery/index.ts';

/** One attempt of a delivery, as its request describes it. */
export interface Attempt {
  readonly deliveryId: string;
  /** Counts from 1, over all rounds. */
  readonly attempt: number;
  readonly retry: DeliveryRetries;
  readonly isTest?: boolean | undefined;
  readonly sentAt: Date;
}

/** What nothing follows, such as a test. */
export const onlyAttempt: DeliveryRetries = { maxAttempts: 1, willRetry: false };

/** Decrypted only while a request is composed. `previous` also signs during the overlap after a rotation. */
export interface OpenSecrets {
  readonly secret: string | undefined;
  readonly previous: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** An event in a format: body, headers and signature headers. */
export interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signatures: Readonly<Record<string, string>>;
}
