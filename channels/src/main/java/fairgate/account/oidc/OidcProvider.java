package fairgate.account.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jwt.JWT;
import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.ErrorObject;
import com.nimbusds.oauth2.sdk.ParseException;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.auth.ClientAuthenticationMethod;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.ClientSecretPost;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.nimbusds.openid.connect.sdk.Nonce;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import com.nimbusds.openid.connect.sdk.claims.AuthorizedParty;
import com.nimbusds.openid.connect.sdk.claims.IDTokenClaimsSet;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import fairgate.account.oidc.ProviderMetadata.Document;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// One provider: authorization requests, and persons for authorization codes. All methods block.
final class OidcProvider {
  /// Signatures that are accepted: asymmetric ones. With `HS256` everybody who knows the client
  /// secret could make tokens, and with `none` everybody; LINE Login is the only exception.
  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512,
          JWSAlgorithm.ES256,
          JWSAlgorithm.ES384,
          JWSAlgorithm.ES512);

  /// The maximum by OpenID Connect Core 1.0, section 2.
  private static final int MAX_SUBJECT_LENGTH = 255;

  private static final int MAX_EMAIL_LENGTH = 254;

  private final OidcConfig.Provider settings;
  private final ClientID client;
  private final ProviderMetadata metadata;
  private final OidcHttp http;

  OidcProvider(OidcConfig.Provider settings, OidcHttp http, Duration timeout, LongSupplier nanos) {
    this.settings = settings;
    this.client = new ClientID(settings.clientId());
    this.http = http;
    this.metadata = new ProviderMetadata(settings.issuer(), http, timeout, nanos);
  }

  OidcConfig.Provider settings() {
    return settings;
  }

  /// The secrets of one sign-in.
  ///
  /// @param redirect the address of our callback
  record Attempt(String state, String nonce, String verifier, URI redirect) {}

  sealed interface Identification {
    /// The provider vouches for this person.
    ///
    /// @param subject the person's name at this provider
    /// @param email the address in lower case, which the provider has verified; empty for none
    record Person(String subject, String email) implements Identification {}

    record Refused(String reason) implements Identification {}

    record Away(String reason) implements Identification {}
  }

  /// The address to which the browser is sent. Throws IOException when the provider is away.
  URI authorization(Attempt attempt) throws IOException {
    return new AuthenticationRequest.Builder(
            ResponseType.CODE,
            new Scope(settings.scopes().toArray(String[]::new)),
            client,
            attempt.redirect())
        .endpointURI(metadata.get().authorization())
        .state(new State(attempt.state()))
        .nonce(new Nonce(attempt.nonce()))
        .codeChallenge(new CodeVerifier(attempt.verifier()), CodeChallengeMethod.S256)
        .build()
        .toURI();
  }

  /// Whether the issuer in an authorization response is this provider's (RFC 9207).
  ///
  /// @param issuer empty when the response names none
  boolean answers(String issuer) {
    try {
      return issuer.isEmpty()
          ? !metadata.get().issuerInResponse()
          : issuer.equals(settings.issuer());
    } catch (IOException _) {
      // The exchange of the code will report the outage.
      return true;
    }
  }

  /// Exchanges a code for an ID token, and verifies that.
  Identification identify(String code, Attempt attempt) {
    try {
      Document document = metadata.get();
      HTTPResponse response = http.post(request(document, code, attempt).toHTTPRequest());
      if (response.getStatusCode() >= HTTPResponse.SC_SERVER_ERROR) {
        return new Identification.Away("status " + response.getStatusCode());
      }
      TokenResponse tokens = OIDCTokenResponseParser.parse(response);
      if (!tokens.indicatesSuccess()) {
        ErrorObject error = tokens.toErrorResponse().getErrorObject();
        return new Identification.Refused(
            "the token endpoint answered "
                + (error == null ? response.getStatusCode() : error.getCode()));
      }
      return verified(
          document,
          ((OIDCTokenResponse) tokens.toSuccessResponse()).getOIDCTokens().getIDToken(),
          attempt);
    } catch (IOException e) {
      return new Identification.Away(String.valueOf(e.getMessage()));
    } catch (ParseException e) {
      return new Identification.Refused("the token response is invalid: " + e.getMessage());
    }
  }

  private TokenRequest request(Document document, String code, Attempt attempt) {
    AuthorizationCodeGrant grant =
        new AuthorizationCodeGrant(
            new AuthorizationCode(code), attempt.redirect(), new CodeVerifier(attempt.verifier()));
    if (settings.clientSecret().isEmpty()) {
      return new TokenRequest.Builder(document.token(), client, grant).build();
    }
    Secret secret = new Secret(settings.clientSecret());
    return new TokenRequest.Builder(
            document.token(),
            postsSecret(document)
                ? new ClientSecretPost(client, secret)
                : new ClientSecretBasic(client, secret),
            grant)
        .build();
  }

  /// Whether the secret belongs into the body. Basic authentication is the standard's default; LINE
  /// takes the body only, and does not say so.
  private boolean postsSecret(Document document) {
    return settings.line()
        || (document.authentication().contains(ClientAuthenticationMethod.CLIENT_SECRET_POST)
            && !document.authentication().contains(ClientAuthenticationMethod.CLIENT_SECRET_BASIC));
  }

  private Identification verified(Document document, JWT token, Attempt attempt) {
    try {
      IDTokenClaimsSet claims =
          validator(document, token).validate(token, new Nonce(attempt.nonce()));
      if (!isForUs(claims)) {
        return new Identification.Refused("the authorized party is another client");
      }
      String subject = claims.getSubject().getValue();
      return subject.isBlank() || subject.length() > MAX_SUBJECT_LENGTH || !isText(subject)
          ? new Identification.Refused("the ID token has no usable subject")
          : new Identification.Person(subject, verifiedEmail(claims));
    } catch (BadJOSEException e) {
      return new Identification.Refused("the ID token is invalid: " + e.getMessage());
    } catch (JOSEException e) {
      return new Identification.Away("the keys could not be loaded: " + e.getMessage());
    }
  }

  /// Whether PostgreSQL can store it.
  private static boolean isText(String text) {
    return text.codePoints()
        .noneMatch(
            letter ->
                Character.isISOControl(letter) || Character.getType(letter) == Character.SURROGATE);
  }

  /// An address without `email_verified: true` counts as none: at some providers people choose it
  /// freely. Others, such as Apple and Amazon Cognito, send it as text.
  private static String verifiedEmail(IDTokenClaimsSet claims) {
    String email = claims.getStringClaim("email");
    return email != null
            && email.length() <= MAX_EMAIL_LENGTH
            && isText(email)
            && isTrue(claims.getClaim("email_verified"))
        ? email.toLowerCase(Locale.ROOT)
        : "";
  }

  private static boolean isTrue(@Nullable Object claim) {
    return claim instanceof String text
        ? text.equalsIgnoreCase("true")
        : Boolean.TRUE.equals(claim);
  }

  /// Whether `azp` names this client; the library does not check it. A token for several audiences
  /// needs it.
  private boolean isForUs(IDTokenClaimsSet claims) {
    AuthorizedParty party = claims.getAuthorizedParty();
    return party == null
        ? claims.getAudience().size() == 1
        : party.getValue().equals(settings.clientId());
  }

  /// Checks signature, `iss`, `aud`, `exp`, `iat` and `nonce`, with a tolerance of one minute
  /// between the clocks.
  private IDTokenValidator validator(Document document, JWT token) {
    Issuer issuer = new Issuer(settings.issuer());
    if (settings.line() && JWSAlgorithm.HS256.equals(token.getHeader().getAlgorithm())) {
      return new IDTokenValidator(
          issuer, client, JWSAlgorithm.HS256, new Secret(settings.clientSecret()));
    }
    return new IDTokenValidator(
        issuer, client, new JWSVerificationKeySelector<>(ALGORITHMS, document.keys()), null);
  }
}
