/**
 * The page's CSP forbids generated code, which zod would try when a schema is created. Must be imported before
 * every schema.
 */
import { z } from 'zod';

z.config({ jitless: true });
