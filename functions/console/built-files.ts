/** A file of the console, compressed while bundling. */
export interface BuiltFile {
  readonly contentType: string;
  readonly etag: string;
  /** Its name contains a hash of its content, so it never changes. */
  readonly isImmutable: boolean;
  /** Compressed with brotli, as base64. Other encodings are made of it. */
  readonly br: string;
}

/**
 * The files by their path below /console. infra/bundle/precompute.ts replaces this module by the files that
 * infra/bundle/build-console.ts makes of app/. Code that is not bundled serves none.
 */
export const builtFiles: Readonly<Record<string, BuiltFile>> = {};
