import { Badge } from '../ui/data/badge.tsx';

/** The labels of a project. */
export const LabelList = ({ labels }: { readonly labels: Readonly<Record<string, string>> }) => {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return (
    <div className="labels">
      {entries.map(([key, value]) => (
        <Badge key={key} tone="neutral">
          {key}: {value}
        </Badge>
      ))}
    </div>
  );
};
