import { type ReactNode, useId, useState } from 'react';
import { useStored } from '../../../api/use-stored.ts';
import { CopyButton } from '../../../ui/data/code-block.tsx';
import type { CodeSample } from './code-sample.ts';
import { highlight, type Language } from './highlight.ts';

interface CodeViewProps {
  /** Read aloud; says what the code is. */
  readonly label: string;
  /** Several samples are tabs. */
  readonly samples: readonly CodeSample[];
  /** Beside the tabs, such as a status. */
  readonly badge?: ReactNode;
}

/** A keyboard scrolls code that is wider or longer than its frame. */
const makeFocusable = (element: HTMLElement | null): void => {
  if (element) element.tabIndex = 0;
};

const rememberedKey = 'docs.language';

const rememberLanguage = (label: string): void => {
  localStorage.setItem(rememberedKey, label);
  window.dispatchEvent(new StorageEvent('storage', { key: rememberedKey }));
};

/** Code with a title or tabs. The chosen language is remembered, so that all samples are in the same one. */
export const CodeView = ({ label, samples, badge }: CodeViewProps) => {
  const [picked, setPicked] = useState<string>();
  const remembered = useStored(rememberedKey);
  const id = useId();
  const isLanguages = samples.every(({ language }) => language !== 'json');
  const chosen = isLanguages ? remembered : picked;
  const index = Math.max(
    0,
    samples.findIndex((one) => one.label === chosen),
  );
  const sample = samples[index];
  if (!sample) return null;
  const choose = isLanguages ? rememberLanguage : setPicked;
  const onKey = (key: string): void => {
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    const next = samples[(index + step + samples.length) % samples.length];
    if (step === 0 || !next) return;
    choose(next.label);
    document.getElementById(`${id}-${next.label}`)?.focus();
  };
  return (
    <figure className="docs-code" aria-label={label}>
      <div className="row row--single row--spread docs-code__head">
        {samples.length > 1 ? (
          <div className="docs-code__tabs" role="tablist" aria-label={label}>
            {samples.map((one) => (
              <button
                key={one.label}
                id={`${id}-${one.label}`}
                type="button"
                role="tab"
                aria-selected={one === sample}
                aria-controls={`${id}-code`}
                tabIndex={one === sample ? 0 : -1}
                className="docs-code__tab"
                onClick={() => choose(one.label)}
                onKeyDown={({ key }) => onKey(key)}
              >
                {one.label}
              </button>
            ))}
          </div>
        ) : (
          <span className="small secondary docs-code__title">{sample.label}</span>
        )}
        <span className="row row--single">
          {badge}
          <CopyButton text={sample.code} label={`Copy: ${label}`} />
        </span>
      </div>
      <pre
        id={`${id}-code`}
        ref={makeFocusable}
        {...(samples.length > 1 && { role: 'tabpanel', 'aria-labelledby': `${id}-${sample.label}` })}
      >
        <HighlightedCode code={sample.code} language={sample.language} />
      </pre>
    </figure>
  );
};

export const HighlightedCode = ({ code, language }: { readonly code: string; readonly language: Language }) => {
  let position = 0;
  return (
    <code>
      {highlight(code, language).map(({ kind, text }) => {
        position += text.length;
        return kind === 'plain' ? (
          text
        ) : (
          <span key={position} className={`docs-token docs-token--${kind}`}>
            {text}
          </span>
        );
      })}
    </code>
  );
};
