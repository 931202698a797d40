/** Replaces the bytes from `start` to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  bytes: Buffer;
}

/** A copy of the bytes with the edits, which ascend and do not overlap. `grown` is by how many bytes they lengthen the copy. */
export const applyEdits = (bytes: Buffer, edits: readonly Edit[], grown: number): Buffer => {
  const out = Buffer.allocUnsafe(bytes.length + grown);
  let [at, done] = [0, 0];
  for (const edit of edits) {
    at += bytes.copy(out, at, done, edit.start);
    at += edit.bytes.copy(out, at);
    done = edit.end;
  }
  bytes.copy(out, at, done);
  return out;
};
