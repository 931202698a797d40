interface RecordOptionsProps {
  readonly of: readonly { readonly id: string; readonly name: string }[] | undefined;
}

/** The options of a `<Select>` of records. */
export const RecordOptions = ({ of }: RecordOptionsProps) =>
  of?.map(({ id, name }) => (
    <option key={id} value={id}>
      {name}
    </option>
  ));

interface WordOptionsProps<V extends string> {
  readonly of: readonly V[];
  readonly words: Readonly<Record<V, string>>;
}

/** The options of a `<Select>` of values that are shown in words. */
export const WordOptions = <V extends string>({ of, words }: WordOptionsProps<V>) =>
  of.map((value) => (
    <option key={value} value={value}>
      {words[value]}
    </option>
  ));
