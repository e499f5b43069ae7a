//! The forms in which files, programs and commands write a secret down.

mod marked;

use marked::{check, unchanged};

#[test]
fn elements_and_attributes() {
    check(
        "SECRET",
        &[
            "<password>«hunter2Zq9xK»</password>",
            "<Password>«sunshine»</Password>",
            "<db:password type=\"plain\">«hunter2Zq9xK»</db:password>",
            "<password><![CDATA[«hunter2Zq9xK»]]></password>",
            "<password>\n  «hunter2Zq9xK»\n</password>",
            "<apiKey>«a8F3kd93kfLs02kd»</apiKey>",
            "<key>password</key>\n<string>«hunter2Zq9xK»</string>",
            "<add key=\"password\" value=\"«hunter2Zq9xK»\"/>",
            "<add key='DbPassword' value='«hunter2Zq9xK»' />",
            "<property name=\"hibernate.connection.password\" value=\"«sunshine»\"/>",
            "<property name=\"password\">«hunter2Zq9xK»</property>",
            "<entry key=\"db.password\">«hunter2Zq9xK»</entry>",
            "<Password value=\"«hunter2Zq9xK»\"/>",
            "<input type=\"password\" value=\"«hunter2Zq9xK»\">",
            "<user name=\"kim\" password=\"«hunter2Zq9xK»\" roles=\"admin\"/>",
            "{\"name\":\"password\",\"value\":\"«hunter2Zq9xK»\"}",
            "{\"name\": \"DB_PASSWORD\", \"value\": \"«hunter2Zq9xK»\"}",
            "{\"key\": \"api_key\", \"value\": \"«a8F3kd93kfLs02kd»\"}",
            "- name: DB_PASSWORD\n  value: «hunter2Zq9xK»",
            "- name: DB_PASSWORD\n  value: \"«hunter2Zq9xK»\"",
            "{\"password\":{\"value\":\"«hunter2Zq9xK»\"}}",
            "{\"name\":\"Authorization\",\"value\":\"Bearer «a8F3kd93kfLs02kd»\"}",
            "\"passwords\": [\"«hunter2Zq9xK»\"]",
            "{\\\"name\\\":\\\"password\\\",\\\"value\\\":\\\"«hunter2Zq9xK»\\\"}",
        ],
    );
    unchanged(&[
        "<password>",
        "<password></password>",
        "<password>${DB_PASSWORD}</password>",
        "<password>string</password>",
        "<xs:element name=\"password\" type=\"xs:string\"/>",
        "<add key=\"timeout\" value=\"a8F3kd93kfLs02kd\"/>",
        "<label for=\"password\">Password</label>",
        "<p>password</p> <b>hunter22</b>",
        "{\"name\":\"pageToken\",\"value\":\"a8F3kd93kfLs02kd\"}",
        "{\"name\":\"password\",\"type\":\"string\"}",
        "<input type=\"password\" value=\"\">",
        "List<Password> passwords1 = x;",
        "a->password->hash2",
    ]);
}

#[test]
fn statements_of_databases() {
    check(
        "SECRET",
        &[
            "CREATE USER 'kim'@'localhost' IDENTIFIED BY '«hunter2Zq9xK»';",
            "ALTER USER kim IDENTIFIED WITH mysql_native_password BY '«sunshine»';",
            "create user kim identified by \"«hunter2Zq9xK»\"",
            "CREATE USER kim IDENTIFIED BY «hunter2Zq9xK»;",
            "CREATE ROLE kim WITH LOGIN PASSWORD '«hunter2Zq9xK»';",
            "ALTER USER kim WITH ENCRYPTED PASSWORD '«sunshine»'",
            "alter role kim password '«hunter2Zq9xK»'",
            "SET PASSWORD FOR 'kim' = PASSWORD('«hunter2Zq9xK»')",
            "INSERT INTO users (name, password) VALUES ('kim', '«hunter2Zq9xK»')",
            "insert into users(id,password,name) values(1,'«sunshine»','kim')",
            "INSERT INTO `t` (`email`, `pwd`) VALUES ('kim', \"«hunter2Zq9xK»\");",
            "UPDATE users SET password = '«hunter2Zq9xK»' WHERE id=1",
            "SELECT * FROM u WHERE name='kim' AND password='«hunter2Zq9xK»'",
            "CREATE LOGIN kim WITH PASSWORD = N'«hunter2Zq9xK»'",
        ],
    );
    unchanged(&[
        "GRANT ALL ON x TO 'kim' IDENTIFIED BY '${PASSWORD}'",
        "INSERT INTO users (name, password) VALUES (?, ?)",
        "INSERT INTO users (name, password) VALUES ('kim', '$1')",
        "INSERT INTO users (name, age) VALUES ('kim', 'hunter2Zq9xK')",
        "the password 'must' be long",
        "sorted by 'hunter2Zq9xK'",
        "the field 'password' 'x1'",
    ]);
}

#[test]
fn words_without_a_sign() {
    check(
        "SECRET",
        &[
            "machine github.com login kim password «hunter2Zq9xK»",
            "machine h\n  login kim\n  password «hunter2Zq9xK»\n",
            "default login anonymous password «my-s3cret»",
            "ENV DB_PASSWORD «hunter2Zq9xK»",
            "ENV API_KEY «a8F3kd93kfLs02kd»",
            "set DB_PASSWORD «hunter2Zq9xK»",
            "requirepass «hunter2Zq9xK»",
            "masterauth «hunter2Zq9xK»",
            "| password | «hunter2Zq9xK» |",
            "| DB_PASSWORD | `«hunter2Zq9xK»` |",
            "password:\n  «hunter2Zq9xK»",
            "password: |\n  «hunter2Zq9xK»\n",
            "password: >-\n    «hunter2Zq9xK»\n",
            "비밀번호:\n«abc1234!»\n",
            "password -> «hunter2Zq9xK»",
            "password → «hunter2Zq9xK»",
        ],
    );
    unchanged(&[
        "password:\n  the next line has 12 words",
        "password:\n  type: string2",
        "password:\nuser2 logged in",
        "token:\n  - item1",
        "| password | must have 8 characters |",
        "password reset2",
        "a password -> String",
    ]);
}

#[test]
fn options_of_commands() {
    check(
        "SECRET",
        &[
            "curl -u kim:«hunter2Zq9xK» https://x.com",
            "curl -s -u 'kim:«hunter2 Zq9xK»' https://x.com",
            "curl --user kim:«sunshine» https://x.com",
            "curl --user \"kim:«hunter2Zq9xK»\" https://x.com",
            "curl -ukim:«hunter2Zq9xK» https://x.com",
            "curl --proxy-user=kim:«hunter2Zq9xK» x",
            "wget --user=kim --password=«hunter2Zq9xK» x",
            "mysql -u root -p«hunter2Zq9xK» db",
            "mysql -uroot -p'«sunshine»' db",
            "mysqldump -h db -u root -p«s3cret!»",
            "mysql --password «hunter2Zq9xK»",
            "sshpass -p «hunter2Zq9xK» ssh kim@h",
            "sshpass -p '«sun shine»' ssh kim@h",
            "sshpass -p«hunter2Zq9xK» ssh kim@h",
            "docker login -u kim -p «hunter2Zq9xK» r.io",
            "redis-cli -h r -a «hunter2Zq9xK» ping",
            "az login -u kim -p «hunter2Zq9xK»",
            "keytool -storepass «hunter2Zq9xK» -keypass «hunter3Zq9xK»",
            "openssl rsa -passin pass:«hunter2Zq9xK» -in k",
            "PGPASSWORD=«hunter2» psql",
            "--api-key «a8F3kd93kfLs02kd»",
            "ldapsearch -x -D cn=a -w «hunter2Zq9xK»",
            "smbclient //h/s -U kim%«hunter2Zq9xK»",
        ],
    );
    unchanged(&[
        "mkdir -p src1/test2",
        "docker run -p 8080:80 nginx",
        "docker run -u 1000:1000 nginx",
        "ssh -p 2222 kim@host",
        "mysql -u root -p db",
        "mysql -u root -p$PASSWORD db",
        "curl -u $USER:$PASSWORD x",
        "curl -u kim x",
        "curl -u kim: x",
        "docker login -u kim --password-stdin",
        "sort -u a1:b2",
        "cp -p file1 file2",
        "cargo test -p octavo2",
        "git push -u origin:main1",
        "docker exec -u 0:0 x",
    ]);
}

#[test]
fn headers_and_cookies() {
    check(
        "SECRET",
        &[
            "Authorization: Token «9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b»",
            "Authorization: Basic «a2ltOmh1bnRlcjJacTl4Sw==»",
            "Authorization: KakaoAK «9944b09199c62bcf9418ad846dd0e4bb»",
            "Authorization: ApiKey «a8F3kd93kfLs02kd»",
            "Authorization: Digest username=\"kim\", response=\"«6629fae49393a05397450978507c4ef1»\"",
            "Proxy-Authorization: Basic «a2ltOmh1bnRlcjJacTl4Sw==»",
            "use Bearer «a1B2c3D4e5F6g7H8a1B2c3D4» here",
            "bearer «abcDEfgh/IJklmn+opQRstuvWX12»",
            "BEARER «a1B2c3D4e5F6g7H8a1B2c3D4»",
            "{\"h\": \"Bearer «a1B2c3D4e5F6g7H8a1B2c3D4»\"}",
            "Cookie: sessionid=«a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8»",
            "Cookie: theme=dark; sessionid=«a1B2c3D4e5F6g7H8»; lang=ko",
            "Set-Cookie: session=«a1B2c3D4e5F6g7H8a1B2c3D4»; HttpOnly",
            "Set-Cookie: JSESSIONID=«0A1B2C3D4E5F60718293A4B5C6D7E8F9»; Path=/",
            "\"Cookie\": \"PHPSESSID=«a1b2c3d4e5f6g7h8i9j0»; a=b\"",
            "curl -b 'connect.sid=«s%3Aa1B2c3D4e5F6g7H8.a1B2»' x",
            "cookie: csrftoken=«a1B2c3D4e5F6g7H8; sessionid=a1B2c3D4e5F6g7H8»",
            "{\"auth\": \"«a2ltOmh1bnRlcmFhYmI=»\"}",
            "_auth=«a2ltOmh1bnRlcmFhYmI=»",
            "//npm.example.org/:_authToken=«a1B2c3D4-e5F6-g7H8-a1B2-c3D4e5f6a7b8»",
            "//npm.example.org/:_password=«a2ltaHVudGVy»",
        ],
    );
    unchanged(&[
        "Bearer token authentication in HTTP2",
        "Bearer <token>",
        "Bearer ${TOKEN}",
        "the bearer of bad news for 2024-11-02T10",
        "Cookie: theme=dark; lang=ko",
        "session=a1B2c3D4e5F6g7H8a1B2c3D4",
        "session_id: 550e8400-e29b-41d4-a716-446655440000",
        "Set-Cookie: session=; Max-Age=0",
        "WWW-Authenticate: Basic realm=\"a1B2c3D4e5F6\"",
        "Authorization: Bearer $TOKEN",
    ]);
}

#[test]
fn code_with_types_and_calls() {
    check(
        "SECRET",
        &[
            "password: str = \"«hunter2Zq9xK»\"",
            "password: Optional[str] = '«hunter2Zq9xK»'",
            "String password = \"«hunter2Zq9xK»\";",
            "const password: string = '«hunter2Zq9xK»';",
            "let password: &'static str = \"«sunshine»\";",
            "let password: String? = \"«hunter2Zq9xK»\"",
            "private static final String PASSWORD = \"«sunshine»\";",
            "var password string = \"«hunter2Zq9xK»\"",
            "char password[] = \"«hunter2Zq9xK»\";",
            "const char *password = \"«hunter2Zq9xK»\";",
            "char password[32] = \"«hunter2Zq9xK»\";",
            "password = \"\"\"«hunter2Zq9xK»\"\"\"",
            "let password = String::from(\"«hunter2Zq9xK»\");",
            "password = SecretStr(\"«hunter2Zq9xK»\")",
            "setPassword(\"«hunter2Zq9xK»\")",
            "db.set_password('«hunter2Zq9xK»')",
            ".password(\"«sunshine»\")",
            "os.getenv(\"DB_PASSWORD\", \"«hunter2Zq9xK»\")",
            "define('DB_PASSWORD', '«hunter2Zq9xK»');",
            "user[password]=«hunter2Zq9xK»",
            "user%5Bpassword%5D=«hunter2Zq9xK»&x=1",
            "$password = '«hunter2Zq9xK»';",
            "@password = N'«hunter2Zq9xK»'",
            ":password => \"«hunter2Zq9xK»\"",
        ],
    );
    unchanged(&[
        "password: str = None",
        "password: str = Field(..., min_length=8)",
        "password: str = os.environ[\"PASSWORD1\"]",
        "getpass(\"Password: \")",
        "os.getenv(\"DB_PASSWORD\", \"\")",
        "check_password(\"password\")",
        "char password[64];",
        "print(\"password\", \"token\")",
        "assert_equal(token(\"abc\"), x)",
        "describe_password(\"must have 8 characters\")",
    ]);
}

#[test]
fn more_names() {
    check(
        "SECRET",
        &[
            "pw: «hunter2Zq»",
            "PW=«hunter2Zq»",
            "pwd: «hunter2Zq»",
            "PIN: «482913»",
            "pin=«4829»",
            "\"pin\": \"«482913»\"",
            "psk=«hunter2Zq»",
            "wifi_psk: \"«hunter2Zq»\"",
            "passphrase: «hunter2Zq»",
            "passphrase: «correct horse battery staple»",
            "mnemonic: «legal winner thank year wave sausage worth useful legal winner thank yellow»",
            "ID/PW: kim/«hunter2Zq»",
            "아이디/비밀번호: kim / «abc1234!»",
            "암호: «abc1234!»",
            "비밀 번호: «abc1234!»",
            "패스워드는 «abc1234!»",
            "비밀번호 확인: «abc1234!»",
            "비밀번호(신규): «abc1234!»",
            "핀번호: «482913»",
            "密碼：«abc12345»",
            "口令: «abc12345»",
            "登录密码：«abc12345»",
            "密钥: «a8F3kd93kfLs02kd»",
            "访问令牌: «a8F3kd93kfLs02kd»",
            "暗証番号: «482913»",
            "パスコード: «482913»",
            "APIキー: «a8F3kd93kfLs02kd»",
            "シークレット: «a8F3kd93kfLs02kd»",
            "hasło: «hunter2Zq»",
            "parola: «hunter2Zq»",
            "şifre: «hunter2Zq»",
            "lösenord: «hunter2Zq»",
            "كلمة المرور: «hunter2Zq»",
            "kata sandi: «hunter2Zq»",
            "DD_APP_KEY=«9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b»",
            "AZURE_OPENAI_KEY=«9944b09199c62bcf9418ad846dd0e4bb»",
            "X-Naver-Client-Secret: «wdzjGBH6ML»",
            "NAVER_CLIENT_SECRET=«wdzjGBH6ML»",
            "KAKAO_REST_API_KEY=«9944b09199c62bcf9418ad846dd0e4bb»",
            "imp_secret: \"«9944b09199c62bcf9418ad846dd0e4bb»\"",
            "consumer_key=«a8F3kd93kfLs02kd»",
            "SUPABASE_SERVICE_ROLE_KEY=«a8F3kd93kfLs02kda8F3»",
            "subscription-key: «9944b09199c62bcf9418ad846dd0e4bb»",
            "https://x.blob.core.windows.net/c?sv=2022-11-02&sig=«a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8a1B2c3D4e5U%3D»&se=2026",
            "X-Amz-Signature=«9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b9944b09199c62bcf9418ad84»",
        ],
    );
    unchanged(&[
        "pin: 17",
        "LED_PIN = 13",
        "pinned: 482913x",
        "spin: 482913",
        "pw: x",
        "mapping: a8F3kd93kfLs02kd",
        "PUBLIC_KEY=a8F3kd93kfLs02kda8F3",
        "PRIMARY_KEY=user_id_2024_of_the_table",
        "CACHE_KEY=v1:user:1234:profile:2024",
        "sort_key: created_at_2024",
        "the passphrase: it must have four words",
        "sig=1",
        "signature: a8F3kd93kfLs02kd",
        "monkey: a8F3kd93kfLs02kd",
    ]);
}

#[test]
fn connection_strings() {
    check(
        "SECRET",
        &[
            "Server=db;Database=x;User Id=sa;Password=«hunter2Zq9xK»;",
            "Server=db;Uid=sa;Pwd=«p@ss,w(o)rd1»;Encrypt=yes",
            "\"Server=db;User Id=sa;Password=«sunshine»;\"",
            "Data Source=db;User ID=sa;Password=«Zq9x&hun|ter2»",
            "AccountName=x;AccountKey=«Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==»;EndpointSuffix=core.windows.net",
            "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8a1B2c3D4e5E=»",
            "host=db user=kim password=«sunshine» dbname=x",
            "host=db password='«sun shine»' user=kim",
            "jdbc:mysql://db/x?user=kim&password=«hunter2Zq9xK»",
            "jdbc:sqlserver://db:1433;user=sa;password=«sunshine»;",
        ],
    );
    unchanged(&[
        "Server=db;Password=;",
        "Server=db;Password=${DB_PASSWORD};",
        "Server=db;User Id=sa;Trusted_Connection=True;",
        "jdbc:oracle:thin:@//db:1521/x",
    ]);
}

#[test]
fn arguments_in_a_list_are_a_command_line() {
    check(
        "SECRET",
        &[
            r#"["docker","login","-u","bob","-p","«Hunter22x»"]"#,
            r#"["curl", "-u", "kim:«hunter2Zq9xK»", "https://x.com"]"#,
            r#"["curl", "--user", "kim:«hunter2Zq9xK»"]"#,
            r#"["mysql","-p«hunter2Zq9xK»"]"#,
            r#"{"cmd": "[\"docker\", \"login\", \"-p\", \"«Hunter22x»\"]"}"#,
        ],
    );
    unchanged(&[
        r#"["docker","run","-p","8080:80","x"]"#,
        r#"["mysql","-P","3306"]"#,
        r#"["curl","-u","kim"]"#,
        r#"["docker","login","-u","bob","-p","$PASSWORD"]"#,
    ]);
}

/// What quotes a command is not what quotes its argument.
#[test]
fn no_value_of_a_command_reaches_into_another_string() {
    unchanged(&[
        r#"{"t": "curl -u`", "password": "u `"}"#,
        r#"{"curl -u `":["a`",1]}"#,
        r#"["curl -u '", "kim:hunter2Zq9xK'"]"#,
        r#"["use `curl -u` and say kim: x", "y`"]"#,
    ]);
    check("SECRET", &["curl -u 'kim:«hunter2 Zq9xK»' https://x.com", r#"curl -u "kim:«hunter2Zq9xK»""#]);
}
