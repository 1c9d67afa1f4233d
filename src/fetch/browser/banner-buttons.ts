/**
 * Buttons that close cookie banners: those that refuse come before those that accept. The selectors are of the common
 * consent managers, compared with the rules of DuckDuckGo's autoconsent 16.23. That package is a content script that
 * talks to an extension, has hundreds of rules for single sites, and runs some of them in the page's own world.
 */
export const BANNER_BUTTONS: readonly string[] = [
  // OneTrust
  "#onetrust-reject-all-handler",
  ".ot-pc-refuse-all-handler",
  // Cookiebot
  "#CybotCookiebotDialogBodyButtonDecline",
  // Didomi
  "#didomi-notice-disagree-button",
  ".didomi-continue-without-agreeing",
  // Usercentrics
  "[data-testid=uc-deny-all-button]",
  "#usercentrics-button #uc-btn-deny-banner",
  // TrustArc
  "#truste-consent-required",
  // Complianz
  ".cmplz-cookiebanner .cmplz-deny",
  // CookieYes
  ".cky-consent-container [data-cky-tag=reject-button]",
  // Osano, and its Cookie Consent
  ".osano-cm-denyAll",
  ".osano-cm-deny",
  ".cc-window .cc-deny",
  // Klaro
  ".klaro .cn-decline",
  // tarteaucitron
  "#tarteaucitronAllDenied2",
  // iubenda
  ".iubenda-cs-reject-btn",
  // Borlabs
  ".brlbs-btn-accept-only-essential",
  "a[data-cookie-refuse]",
  // Termly
  ".t-declineAllButton",
  // Moove GDPR
  ".moove-gdpr-infobar-reject-btn",
  // HubSpot
  "#hs-eu-decline-button",
  // Shopify
  "#shopify-pc__banner__btn-decline",
  // GDPR Cookie Consent of WebToffee
  "#gdpr-cookie-consent-bar #cookie_action_reject",
  // Google
  ".glue-cookie-notification-bar__reject",
  // Civic
  ".ccc-reject-button",
  // Banners that can only be accepted
  "#onetrust-accept-btn-handler",
  "#CybotCookiebotDialogBodyButtonAccept",
  "#CybotCookiebotDialogBodyLevelButtonAccept",
  "#didomi-notice-agree-button",
  "#usercentrics-button #uc-btn-accept-banner",
  "#truste-consent-button",
  ".cmplz-cookiebanner .cmplz-accept",
  ".cky-consent-container [data-cky-tag=accept-button]",
  ".osano-cm-accept-all",
  ".cc-window .cc-allow",
  ".cc-window .cc-dismiss",
  ".klaro .cm-btn-accept-all",
  ".iubenda-cs-accept-btn",
  ".moove-gdpr-infobar-allow-all",
  "#hs-eu-confirmation-button",
  "#shopify-pc__banner__btn-accept",
  "#gdpr-cookie-consent-bar #cookie_action_accept",
  ".glue-cookie-notification-bar__accept",
  "#ccc-notify-accept",
];
