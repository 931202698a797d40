/** What goes into a request to an endpoint, and what comes out before it is addressed. */

/** `attempt` counts from 1, over all rounds; `willRetry` says whether another follows if this one fails. */
export interface Attempt {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly willRetry: boolean;
  readonly sentAt: Date;
}

/** In clear, for the moment of sending only. `previous` signs, too, while the overlap of a rotation lasts. */
export interface OpenSecrets {
  readonly secret: string | undefined;
  readonly previous: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a format makes of an event: the text that is sent, its headers, and those among them that are signatures. */
export interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signatures: Readonly<Record<string, string>>;
}
