/// Challenges: what a browser must show before the gate lets it in, and who judges it. Every kind
/// stands behind [fairgate.gate.challenge.ChallengeProvider].
@NullMarked
@CheckReturnValue
package fairgate.gate.challenge;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
