/** What is longer breaks where it must. */
const wholeMax = 24;

/** After the @, and after the dots of a domain that is long itself. */
const partsOf = (text: string): readonly string[] => {
  const end = text.indexOf('@') + 1;
  const domain = text.slice(end);
  return end === 0 ? [text] : [text.slice(0, end), ...(domain.length > wholeMax ? domain.split(/(?<=\.)/) : [domain])];
};

/** An e-mail address, or a text that has one: a line that is too narrow breaks between its parts, not within a word. */
export const Email = ({ text }: { readonly text: string }) => (
  <span className="email">
    {partsOf(text).flatMap((part, n) => [
      ...(n === 0 ? [] : [<wbr key={`before ${part}`} />]),
      <span key={part} className={part.endsWith('@') && part.length <= wholeMax ? 'nowrap' : undefined}>
        {part}
      </span>,
    ])}
  </span>
);
