import { Card } from '../../ui/data/card.tsx';

interface QueryExamplesProps {
  readonly onChoose: (q: string) => void;
}

/** What can be asked, so that nobody need guess. */
export const QueryExamples = ({ onChoose }: QueryExamplesProps) => (
  <Card title="What you can search for" flush>
    <ul className="query-examples">
      {examples.map(({ q, meaning }) => (
        <li key={q}>
          <button type="button" className="query-examples__row" onClick={() => onChoose(q)}>
            <code className="wrap-anywhere">{q}</code>
            <span className="small secondary">{meaning}</span>
          </button>
        </li>
      ))}
    </ul>
  </Card>
);

const examples = [
  { q: 'email == "ada@example.com"', meaning: 'A field with this text, upper and lower case as written' },
  { q: 'total > 100 and paid == false', meaning: 'Several conditions: ==, !=, <, <=, > and >=' },
  { q: 'profile.name contains "love"', meaning: 'A part of a text, in upper or lower case; or an element of an array' },
  { q: 'createdAt >= 2026-01-31', meaning: 'A time: 2026-01-31, or 2026-01-31T08:00:00Z' },
  { q: 'deletedAt exists', meaning: 'Documents that have the field' },
  { q: '"Lovelace"', meaning: 'A text anywhere in a document or its path' },
];
