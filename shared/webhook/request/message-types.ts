/** `attempt` counts from 1, over all rounds; `willRetry` says whether another follows if this one fails. */
export interface Attempt {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly willRetry: boolean;
  readonly sentAt: Date;
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
