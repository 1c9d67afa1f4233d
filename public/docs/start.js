// The page to read and try the API. The token that is typed in stays in memory, and goes to this origin alone.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  // Else the badge of a validator on the internet is asked for.
  validatorUrl: null,
});
