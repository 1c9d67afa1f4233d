// The API reference with requests to try. The token stays in memory and is sent only to this origin.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  // The default loads a badge from a validator on the internet.
  validatorUrl: null,
});
