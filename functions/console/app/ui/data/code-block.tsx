import { useState } from 'react';
import { IconButton } from '../form/button.tsx';

const copiedMs = 1_500;

export const CopyButton = ({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), copiedMs);
  };
  return (
    <IconButton icon={isCopied ? 'check' : 'copy'} label={isCopied ? 'Copied' : label} size="small" onClick={() => void copy()} />
  );
};

interface CodeBlockProps {
  readonly code: string;
  /** Read aloud; says what the code is. */
  readonly label: string;
}

/** Code to paste elsewhere. Long lines wrap; a copy has them whole. */
export const CodeBlock = ({ code, label }: CodeBlockProps) => (
  <figure className="code" aria-label={label}>
    <pre>
      <code>{code}</code>
    </pre>
    <div className="code__copy">
      <CopyButton text={code} label={`Copy: ${label}`} />
    </div>
  </figure>
);
