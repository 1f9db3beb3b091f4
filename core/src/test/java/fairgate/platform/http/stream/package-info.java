/// Tests of the package of the same name.
@NullMarked
package fairgate.platform.http.stream;

import org.jspecify.annotations.NullMarked;
