/** One attempt of a delivery, as its request describes it. */
export interface Attempt {
  readonly deliveryId: string;
  /** Counts from 1, over all rounds. */
  readonly attempt: number;
  /** Set if the attempt before this one failed. */
  readonly retry?: RetryState | undefined;
  readonly isTest?: boolean | undefined;
  readonly sentAt: Date;
}

/** `maxAttempts` is the number of the delivery's last attempt; `willRetry`: another one follows if this one fails. */
export interface RetryState {
  readonly maxAttempts: number;
  readonly willRetry: boolean;
}

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
