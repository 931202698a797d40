import { useEffect, useRef } from 'react';
import { describeFailure, isOfField } from '../../format/describe-failure.ts';
import { sentence } from '../../format/sentence.ts';
import { Button } from '../form/button.tsx';
import { Icon } from '../icon.tsx';
import { CopyButton } from './code-block.tsx';

interface ErrorNoticeProps {
  readonly error: unknown;
  /** What failed, such as "The backups could not be loaded". */
  readonly title?: string;
  /** Fields of the form that show their errors themselves; the notice does not repeat them. */
  readonly shownFields?: readonly string[];
  /** What to do, if the page knows more than the code of the error says. */
  readonly advice?: string;
  readonly onRetry?: (() => void) | undefined;
}

/** What went wrong, what to do, and the id that support needs. */
export const ErrorNotice = ({ error, title, shownFields = [], advice, onRetry }: ErrorNoticeProps) => {
  const { message, advice: usualAdvice, fields, requestId } = describeFailure(error);
  const toDo = advice ?? usualAdvice;
  const others = fields.filter((problem) => !shownFields.some((field) => isOfField(problem, field)));
  const isShownAtFields = fields.length > 0 && others.length === 0;
  const notice = useRef<HTMLDivElement>(null);
  // A form may be longer than the window: what to correct, or what failed, comes into view.
  useEffect(() => {
    const form = error ? notice.current?.closest('form, [role=dialog]') : undefined;
    if (!form) return;
    const invalid = isShownAtFields ? form.querySelector<HTMLElement>('[aria-invalid=true]') : undefined;
    if (invalid) invalid.focus();
    else notice.current?.scrollIntoView({ block: 'nearest' });
  }, [isShownAtFields, error]);
  const words = isShownAtFields
    ? `Correct the marked ${fields.length === 1 ? 'field' : 'fields'}.`
    : fields.length > 1
      ? 'Some fields are not valid.'
      : fields.length === 1
        ? message
        : sentence(message);
  return (
    <div className="notice notice--bad" role="alert" ref={notice}>
      <Icon name="alert" />
      <div className="notice__body">
        <strong>{title ?? words}</strong>
        {title && <div className="wrap-anywhere">{words}</div>}
        {fields.length > 1 && others.length > 0 && (
          <ul>
            {others.map(({ field, reason }) => (
              <li key={`${field} ${reason}`}>
                <code>{field}</code> {reason}
              </li>
            ))}
          </ul>
        )}
        {toDo && <div className="secondary">{toDo}</div>}
        <div className="row">
          {onRetry && (
            <Button size="small" icon="refresh" onClick={onRetry}>
              Try again
            </Button>
          )}
          {requestId && (
            <span className="notice__id small muted">
              Request id{' '}
              <span className="notice__copy">
                <code className="wrap-anywhere">{requestId}</code>
                <CopyButton text={requestId} label="Copy the request id" />
              </span>
            </span>
          )}
        </div>
      </div>
    </div>
  );
};
