/// Challenges that a browser must solve before it passes the gate. Every kind implements
/// [fairgate.gate.challenge.ChallengeProvider].
@NullMarked
@CheckReturnValue
package fairgate.gate.challenge;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
