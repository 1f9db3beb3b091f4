package fairgate.platform.tls;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.Optional;

/// A TLS handshake that failed because of a certificate. A repeat fails in the same way.
public final class TlsRefusal {
  private static final String ALERT = "fatal alert: ";

  private TlsRefusal() {}

  /// The cause and the remedy; empty for a connection that failed for another reason.
  ///
  /// @param section the section of the settings: `redis` or `database`
  public static Optional<String> of(Throwable failure, String section) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      String text = String.valueOf(each.getMessage());
      if (each instanceof CertificateException
          || each instanceof CertPathBuilderException
          || each instanceof CertPathValidatorException) {
        return Optional.of(
            "its certificate is refused (%s): %s.ca_file has to name the authority that signed it,"
                    .formatted(text, section)
                + " and the certificate has to name the host and be valid today");
      }
      int alert = text.indexOf(ALERT);
      if (alert >= 0 && isAboutCertificate(text.substring(alert + ALERT.length()))) {
        return Optional.of(
            "it refuses our certificate (%s): set %s.cert_file and %s.key_file to one that it trusts"
                .formatted(text, section, section));
      }
    }
    return Optional.empty();
  }

  private static boolean isAboutCertificate(String alert) {
    return alert.contains("certificate") || alert.contains("unknown_ca");
  }
}
