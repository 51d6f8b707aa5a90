import type { ButtonHTMLAttributes, ReactNode } from 'react';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'plain' | 'primary' | 'warning' | 'quiet' | 'link';
  /** A key that does the same, shown but not part of the name. */
  hint?: string | undefined;
  children: ReactNode;
}

export function Button({ look = 'plain', hint, children, className = '', ...rest }: ButtonProps) {
  return (
    <button type="button" className={`button ${className}`} data-look={look} {...rest}>
      {children}
      {hint === undefined ? null : (
        <span className="key" aria-hidden="true">
          {hint}
        </span>
      )}
    </button>
  );
}
