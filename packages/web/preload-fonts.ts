/** Preloads the page's own fonts: the style sheet that names them is parsed before the first text, but not much earlier. */
import type { HtmlTagDescriptor, Plugin } from 'vite';

const FONTS = /^assets\/(?:inter|jetbrains-mono)-latin-.*\.woff2$/;

export function preloadFonts(): Plugin {
  return {
    name: 'tugdeck-preload-fonts',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((name) => FONTS.test(name))
          .map(
            (name): HtmlTagDescriptor => ({
              tag: 'link',
              attrs: { rel: 'preload', href: `/${name}`, as: 'font', type: 'font/woff2', crossorigin: '' },
              injectTo: 'head-prepend',
            }),
          ),
    },
  };
}
